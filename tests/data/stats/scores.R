#!/usr/bin/env Rscript
# SPDX-License-Identifier: MIT
# Writes scores.txt beside it, against which tests/stats.c checks lib/stats/score.c: run "Rscript scores.R"
# here.  cor(method = "kendall") is R's own tau-b; the rest is written down from its definition.  R 4.2.2.
set.seed(20240611)

num <- function(...) paste(sprintf("%.17g", c(...)), collapse = " ")
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
	  max(abs(r / factor - 1)), if (n > 1) sd(log(r)) else NA, chosen == min(m), chosen / min(m) - 1)
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

out <- file("scores.txt", "w")
writeLines(paste("# made by scores.R: NAME n PREDICTED... MEASURED... exact tau pairs right median factor",
		 "scaled spread found deficiency"), out)
for (c in names(cases))
	writeLines(paste(c, length(cases[[c]][[1]]), num(cases[[c]][[1]]), num(cases[[c]][[2]]),
			 num(scores(cases[[c]][[1]], cases[[c]][[2]]))), out)
close(out)
