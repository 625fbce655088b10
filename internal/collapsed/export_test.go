package collapsed

// Random problems, for the tests outside the package.
var (
	RandomX = randomX
	RandomZ = randomZ
)
