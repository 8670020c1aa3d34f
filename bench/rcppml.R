# SPDX-License-Identifier: BSD-2-Clause
# RcppML's nmf as a process that bench/solver.py talks to.
#
# usage: Rscript rcppml.R FOLDER SAMPLES FEATURES RANK SEED THREADS
#
# FOLDER holds the samples as raw numbers: x.bin, and for sparse ones also rows.bin and
# columns.bin. RcppML wants features x samples, which is what rows of samples are to R. Each line
# of the input is a number of iterations, which begin anew with `seed`: it cannot go on from
# factors; 0 stands for its own defaults, tolerance and all. The answer is the seconds of the call; FOLDER then holds basis.bin and codes.bin.
suppressPackageStartupMessages({
    library(RcppML)
    library(Matrix)
})
argument <- commandArgs(TRUE)
folder <- argument[1]
number <- as.integer(argument[-1])
samples <- number[1]
features <- number[2]
setRcppMLthreads(number[5])

numbers <- function(name, what) {
    path <- file.path(folder, name)
    readBin(path, what, file.size(path) / if (what == "integer") 4 else 8)
}
x <- numbers("x.bin", "double")
if (file.exists(file.path(folder, "rows.bin"))) {
    x <- new("dgCMatrix", p = numbers("rows.bin", "integer"), x = x,
             i = numbers("columns.bin", "integer"), Dim = c(features, samples))
} else {
    dim(x) <- c(features, samples)
}
clock <- function() {
    if (nzchar(Sys.getenv("BENCH_BY_PROCESSOR"))) sum(proc.time()[1:2]) else as.numeric(Sys.time())
}
input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) == 1) {
    start <- clock()
    count <- as.integer(line)
    fit <- if (count == 0) {
        nmf(x, number[3], seed = number[4], verbose = FALSE)
    } else {
        nmf(x, number[3], tol = 0, maxit = count, seed = number[4], verbose = FALSE)
    }
    seconds <- clock() - start
    writeBin(as.vector(fit$w %*% diag(fit$d)), file.path(folder, "basis.bin"))
    writeBin(as.vector(fit$h), file.path(folder, "codes.bin"))
    cat(seconds, "\n", sep = "")
    flush(stdout())
}
