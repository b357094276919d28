#!/usr/bin/env Rscript
# SPDX-License-Identifier: MIT
# Writes the *.txt files in this directory, which tests/unit/stats.c checks lib/stats against: run
# "Rscript generate.R" here.  wilcox.test, mean, quantile, qt, qsignrank, qbinom and
# cor(method = "kendall") are R's own; what R lacks is written from its definition.  R 4.2.2.
set.seed(20240607)

num <- function(...) paste(sprintf("%.17g", c(...)), collapse = " ")
open <- function(name, comment) {
	out <- file(name, "w")
	writeLines(c(paste("# made by generate.R:", comment)), out)
	out
}

normal <- function(n) 1e-6 * rnorm(n, 1, 0.02)
samples <- list(
	one = 3.25, two = c(2, 1), five = normal(5), constant = rep(7e-9, 8),
	normal6 = normal(6), normal7 = normal(7), normal10 = normal(10), normal15 = normal(15),
	normal20 = normal(20), normal30 = normal(30), normal60 = normal(60), normal200 = normal(200),
	skewed15 = 2e-7 * (1 + 0.02 * rlnorm(15)), skewed20 = 2e-7 * (1 + 0.02 * rlnorm(20)),
	skewed30 = 2e-7 * (1 + 0.02 * rlnorm(30)),
	outliers20 = c(normal(18), 1.3e-6, 4e-6), outliers30 = c(normal(26), 1.5e-6 + normal(4)),
	heavy25 = 10 + rcauchy(25), tied12 = c(1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 4, 9),
	quantized30 = round(rnorm(30, 100, 3)), signs15 = rnorm(15),
	modes20 = c(rnorm(14, 1, 0.008), rnorm(6, 1.08, 0.008)),
	modes30 = c(rnorm(21, 1, 0.008), rnorm(9, 1.08, 0.008)),
	near20 = c(rnorm(14, 1, 0.0002), rnorm(6, 1.01, 0.0002)),
	flat20 = c(rep(5, 11), rnorm(8, 5, 0.1), 9), almost10 = c(rep(1, 9), 1.5)
)
out <- open("samples.txt", "NAME VALUE...")
for (s in names(samples)) writeLines(paste(s, num(samples[[s]])), out)
close(out)

# Hodges and Lehmann by wilcox.test where it is exact (no ties, nothing to warn about), otherwise
# from the sorted Walsh averages at R's own signed-rank quantiles.
hl <- function(x, level) {
	n <- length(x)
	w <- outer(x, x, "+") / 2
	w <- sort(w[upper.tri(w, diag = TRUE)])
	k <- qsignrank((1 - level) / 2, n)
	result <- c(median(w), NA, NA)
	if (k > 0) result[2:3] <- c(w[k], w[length(w) + 1 - k])
	if (k > 0 && !anyDuplicated(w) && !any(x == 0)) {
		t <- wilcox.test(x, conf.int = TRUE, conf.level = level, exact = TRUE)
		result <- c(t$estimate, t$conf.int)
	}
	result
}

trimmed <- function(x, level) {
	n <- length(x)
	g <- floor(0.1 * n)
	h <- n - 2 * g
	s <- sort(x)
	winsorized <- pmin(pmax(s, s[g + 1]), s[n - g])
	half <- if (h > 1) qt(1 - (1 - level) / 2, h - 1) * sd(winsorized) / (h / n * sqrt(n)) else NA
	centre <- mean(x, trim = 0.1)
	c(centre, centre - half, centre + half)
}

med <- function(x, level) {
	n <- length(x)
	k <- qbinom((1 - level) / 2, n, 0.5)
	if (k == 0) return(c(median(x), NA, NA))
	c(median(x), sort(x)[k], sort(x)[n + 1 - k])
}

average <- function(x, level) {
	if (length(x) < 2) return(c(mean(x), NA, NA))
	if (sd(x) == 0) return(c(mean(x), mean(x), mean(x)))
	n <- length(x)
	t <- qt(1 - (1 - level) / 2, n - 1)
	g <- if (n > 2) sum(((x - mean(x)) / sd(x))^3) * n / ((n - 1) * (n - 2)) else 0
	more <- 2.5 * g * (2 * t^2 + 1) / (6 * sqrt(n)) * sd(x) / sqrt(n)
	c(mean(x), t.test(x, conf.level = level)$conf.int + c(min(more, 0), max(more, 0)))
}

estimators <- list(hl = hl, trimmed = trimmed, median = med, mean = average)
out <- open("estimates.txt", "ESTIMATOR LEVEL SAMPLE centre low high")
chosen <- c("one", "two", "five", "constant", "normal7", "normal15", "normal200", "skewed20",
	    "outliers20", "heavy25", "tied12", "flat20")
for (e in names(estimators)) for (s in chosen)
	for (level in if (s %in% c("five", "tied12")) c(0.9, 0.95, 0.99) else 0.95)
		writeLines(paste(e, level, s, num(estimators[[e]](samples[[s]], level))), out)
close(out)

# The split whose gap, relative to the spread of its sides and times the size of the smaller one, is
# largest: that measure, means, weight.
modes <- function(x) {
	n <- length(x)
	s <- sort(x)
	least <- max(3, ceiling(n / 10))
	best <- c(NA, NA, NA, NA)
	if (n >= 2 * least) for (k in least:(n - least)) {
		left <- s[1:k]
		right <- s[(k + 1):n]
		gap <- if (right[1] > left[k]) (right[1] - left[k]) / max(sd(left), sd(right)) else 0
		measure <- gap * min(k, n - k)
		if (is.na(best[1]) || measure > best[1]) best <- c(measure, mean(left), mean(right), k / n)
	}
	best
}
outliers <- function(x) {
	scale <- mad(x, constant = 1.4826)
	if (scale == 0) scale <- sqrt(pi / 2) * mean(abs(x - median(x)))
	z <- abs(x - median(x)) / scale
	c(sum(z > 5 & z <= 10, na.rm = TRUE), sum(z > 10, na.rm = TRUE))
}

out <- open("shapes.txt", "SAMPLE mean sd q10 q25 median q99 measure low high weight mild severe")
for (s in names(samples)) {
	x <- samples[[s]]
	writeLines(paste(s, num(mean(x), sd(x), quantile(x, c(0.1, 0.25, 0.5, 0.99), type = 7),
				modes(x), outliers(x))), out)
}
close(out)

out <- open("quantiles.txt", "p nu x")
for (nu in c(1, 3, 7.5, 59, 1e5, Inf))
	for (p in c(1e-12, 0.005, 0.3, 0.5, 0.975))
		writeLines(num(p, nu, qt(p, nu)), out)
close(out)

# The largest k with 2 P(statistic <= k - 1) <= alpha.
depth <- function(name, n, alpha, quantile) writeLines(paste(name, n, num(alpha), quantile(alpha / 2)), out)
out <- open("depths.txt", "STATISTIC n ALPHA k")
for (alpha in c(0.01, 0.05)) {
	for (n in c(5:8, 15, 60, 200)) depth("signed_rank", n, alpha, function(p) qsignrank(p, n))
	for (n in c(5:8, 15, 200, 1001, 20000))
		depth("sign", n, alpha, function(p) qbinom(p, n, 0.5))
}
close(out)

# Where lib/stats uses the normal approximation; k may be off by one.
out <- open("approximate.txt", "STATISTIC n ALPHA k")
for (alpha in c(0.01, 0.05)) {
	for (n in c(201, 500)) depth("signed_rank", n, alpha, function(p) qsignrank(p, n))
}
close(out)

# Scores of predicted values p against measured ones m, for lib/stats/score.c.
set.seed(20240611)
apart <- 0.05

scores <- function(p, m) {
	n <- length(p)
	same <- sign(outer(p, p, "-")) == sign(outer(m, m, "-"))
	far <- outer(m, m, function(a, b) pmax(a, b) / pmin(a, b)) > 1 + apart
	upper <- upper.tri(same)
	r <- p / m
	factor <- exp(mean(log(r)))
	tau <- if (n > 1) suppressWarnings(cor(p, m, method = "kendall")) else NA
	chosen <- max(m[p == min(p)])
	c(all(same), tau, sum(far[upper]), sum((far & same)[upper]), median(abs(r - 1)), factor,
	  (max(r) - min(r)) / (max(r) + min(r)), if (n > 1) sd(log(r)) else NA, chosen == min(m), chosen / min(m) - 1)
}

noisy <- function(n, gap, sigma) {
	m <- 1e-6 * (1 + gap)^(0:(n - 1))
	o <- sample(n)
	list((m * exp(rnorm(n, 0.2, sigma)))[o], m[o])
}
cases <- list(
	one = list(2, 3), two = list(c(1, 2), c(3, 4)), swapped = list(c(2, 1), c(3, 4)),
	perfect = list(1:7 / 2, 1:7), reversed = list(5:1, 1:5),
	flat = list(rep(1, 5), 1:5), flat_both = list(rep(2, 4), rep(3, 4)),
	tied_predicted = list(c(1, 1, 2, 3, 3, 3), c(1, 2, 3, 4, 5, 6)),
	tied_measured = list(c(1, 2, 3, 4, 5), c(2, 2, 3, 3, 1)),
	tied_alike = list(c(1, 1, 4), c(2, 2, 3)), tied_best = list(c(1, 1, 3), c(2, 5, 4)),
	close = list(c(1.1, 1.05, 1.2), c(1, 1.04, 1.06)),
	fine = noisy(5, 0.1, 0.02), thesis = noisy(5, 0.2, 0.12), rough = noisy(12, 0.1, 0.16),
	many = noisy(40, 0.05, 0.3))

out <- open("scores.txt", paste("NAME n PREDICTED... MEASURED... exact tau pairs right median factor",
				"scaled spread found deficiency"))
for (c in names(cases))
	writeLines(paste(c, length(cases[[c]][[1]]), num(cases[[c]][[1]]), num(cases[[c]][[2]]),
			 num(scores(cases[[c]][[1]], cases[[c]][[2]]))), out)
close(out)
