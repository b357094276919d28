#!/usr/bin/env Rscript
# SPDX-License-Identifier: MIT
# Writes the *.txt beside it, against which tests/stats.c checks lib/stats: run "Rscript generate.R" here.
# wilcox.test, mean, quantile, mad, pt, qt, psignrank, pwilcox, pbinom are R's own; what R lacks is
# written down here from its definition.  Made with R 4.2.2.
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
	result <- c(median(w), NA, NA, NA)
	if (k > 0) result[2:4] <- c(w[k], w[length(w) + 1 - k], 1 - 2 * psignrank(k - 1, n))
	if (k > 0 && !anyDuplicated(w) && !any(x == 0)) {
		t <- wilcox.test(x, conf.int = TRUE, conf.level = level, exact = TRUE)
		result[1:3] <- c(t$estimate, t$conf.int)
	}
	result
}

trimmed <- function(trim) function(x, level) {
	n <- length(x)
	g <- floor(trim * n)
	h <- n - 2 * g
	s <- sort(x)
	winsorized <- pmin(pmax(s, s[g + 1]), s[n - g])
	half <- if (h > 1) qt(1 - (1 - level) / 2, h - 1) * sd(winsorized) / (h / n * sqrt(n)) else NA
	centre <- mean(x, trim = trim)
	c(centre, centre - half, centre + half, if (h > 1) level else NA)
}

med <- function(x, level) {
	n <- length(x)
	k <- qbinom((1 - level) / 2, n, 0.5)
	if (k == 0) return(c(median(x), NA, NA, NA))
	c(median(x), sort(x)[k], sort(x)[n + 1 - k], 1 - 2 * pbinom(k - 1, n, 0.5))
}

average <- function(x, level) {
	if (length(x) < 2) return(c(mean(x), NA, NA, NA))
	if (sd(x) == 0) return(c(mean(x), mean(x), mean(x), level))
	c(mean(x), t.test(x, conf.level = level)$conf.int, level)
}

estimators <- list(hl = hl, trimmed = trimmed(0.1), trimmed20 = trimmed(0.2), median = med, mean = average)
out <- open("estimates.txt", "ESTIMATOR LEVEL SAMPLE centre low high level-reached")
for (e in names(estimators)) for (s in names(samples)) for (level in c(0.9, 0.95, 0.99))
	writeLines(paste(e, level, s, num(estimators[[e]](samples[[s]], level))), out)
close(out)

out <- open("ratios.txt", "A B LEVEL ratio low high level-reached")
pairs <- list(c("normal6", "normal7"), c("normal15", "skewed15"), c("normal20", "outliers20"),
	      c("normal30", "skewed20"), c("heavy25", "skewed30"), c("modes20", "modes30"),
	      c("five", "two"), c("one", "normal20"))
for (p in pairs) for (level in c(0.9, 0.95)) {
	a <- log(abs(samples[[p[1]]]))
	b <- log(abs(samples[[p[2]]]))
	k <- qwilcox((1 - level) / 2, length(a), length(b))
	result <- c(exp(median(outer(a, b, "-"))), NA, NA, NA)
	if (k > 0) {
		t <- wilcox.test(a, b, conf.int = TRUE, conf.level = level, exact = TRUE)
		result <- c(exp(c(t$estimate, t$conf.int)), 1 - 2 * pwilcox(k - 1, length(a), length(b)))
	}
	writeLines(paste(p[1], p[2], level, num(result)), out)
}
close(out)

# The split with the largest gap relative to the spread of its sides: gap, means, weight.
modes <- function(x) {
	n <- length(x)
	s <- sort(x)
	least <- max(3, ceiling(0.15 * n))
	best <- c(NA, NA, NA, NA)
	if (n >= 2 * least) for (k in least:(n - least)) {
		left <- s[1:k]
		right <- s[(k + 1):n]
		gap <- if (right[1] > left[k]) (right[1] - left[k]) / max(sd(left), sd(right)) else 0
		if (is.na(best[1]) || gap > best[1]) best <- c(gap, mean(left), mean(right), k / n)
	}
	best
}
outliers <- function(x) {
	scale <- mad(x, constant = 1.4826)
	if (scale == 0) scale <- sqrt(pi / 2) * mean(abs(x - median(x)))
	z <- abs(x - median(x)) / scale
	c(sum(z > 5 & z <= 10, na.rm = TRUE), sum(z > 10, na.rm = TRUE))
}

out <- open("shapes.txt", "SAMPLE mean sd q10 q25 median q99 mad shamos gap low high weight mild severe")
for (s in names(samples)) {
	x <- samples[[s]]
	shamos <- if (length(x) > 1) median(dist(x)) else NA
	writeLines(paste(s, num(mean(x), sd(x), quantile(x, c(0.1, 0.25, 0.5, 0.99), type = 7),
				mad(x, constant = 1), shamos, modes(x), outliers(x))), out)
}
close(out)

out <- open("student.txt", "x nu P(X <= x)")
for (nu in c(0.1, 0.5, 1, 2, 3, 7.5, 14, 29, 59, 200, 1e3, 1e4, 1e5, Inf))
	for (x in c(-30, -8, -5, -3, -2, -1.2, -0.9, -0.5, -0.1, -1e-8, 0, 0.3, 1, 1.7, 4))
		writeLines(num(x, nu, pt(x, nu)), out)
close(out)

out <- open("quantiles.txt", "p nu x")
for (nu in c(1, 2, 3, 7.5, 14, 29, 59, 200, 1e3, 1e4, 1e5, Inf))
	for (p in c(1e-100, 1e-12, 1e-4, 0.005, 0.025, 0.05, 0.3, 0.4999, 0.5, 0.6, 0.9, 0.95, 0.975, 0.99, 0.9999))
		writeLines(num(p, nu, qt(p, nu)), out)
close(out)

# k with 2 P(statistic <= k - 1) <= alpha, and the confidence reached.
out <- open("depths.txt", "STATISTIC n m ALPHA k level-reached")
depth <- function(name, n, m, alpha, quantile, cdf) {
	k <- quantile(alpha / 2)
	writeLines(paste(name, n, m, num(alpha), k, num(if (k > 0) 1 - 2 * cdf(k - 1) else NA)), out)
}
for (alpha in c(0.01, 0.05, 0.1, 0.3)) {
	for (n in c(1:30, 45, 60, 100, 200))
		depth("signed_rank", n, 0, alpha, function(p) qsignrank(p, n), function(q) psignrank(q, n))
	for (n in c(1:30, 45, 60, 200, 1001, 20000))
		depth("sign", n, 0, alpha, function(p) qbinom(p, n, 0.5), function(q) pbinom(q, n, 0.5))
	for (n in c(1, 2, 3, 5, 15, 20, 49)) for (m in c(1, 4, 7, 15, 30, 50)) if (n * m <= 1000)
		depth("rank_sum", n, m, alpha, function(p) qwilcox(p, n, m), function(q) pwilcox(q, n, m))
}
close(out)

# Where lib/stats uses the normal approximation; k may be off by one.
out <- open("approximate.txt", "STATISTIC n m ALPHA k level-reached")
for (alpha in c(0.01, 0.05, 0.1)) {
	for (n in c(201, 300, 500))
		depth("signed_rank", n, 0, alpha, function(p) qsignrank(p, n), function(q) psignrank(q, n))
	for (n in c(11, 32, 60, 90)) for (m in c(45, 60, 100)) if (n * m > 1000)
		depth("rank_sum", n, m, alpha, function(p) qwilcox(p, n, m), function(q) pwilcox(q, n, m))
}
close(out)
