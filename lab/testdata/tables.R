# Rscript tables.R writes doubs.csv (ade4), meuse.csv (sp) and their side files for make compare-table.
write <- function(x, name) write.csv(data.frame(id = seq_len(nrow(x)), x), name, row.names = FALSE, quote = FALSE)
data(doubs, package = "ade4")
write(doubs$env, "doubs.csv")
write(doubs$xy, "doubs_side.csv")
data(meuse, package = "sp")
write(meuse[c("cadmium", "copper", "lead", "zinc", "elev", "dist", "om")], "meuse.csv")
write(meuse[c("x", "y")], "meuse_side.csv")
