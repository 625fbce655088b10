package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"aibd/internal/lists"
	"aibd/internal/words"
	"aibd/posterior"
)

// Lines returns the verdict for people: one line if the chains agree, else what disagrees,
// what that looks like, what holds in spite of it, and commands to try. What depends on the code of the
// signals has a line if chains differ in it, and bounds have a line each.
func (v *Verdict) Lines() []string {
	lines := append([]string{v.Line()}, v.Reasons()...)
	if len(v.Try) > 0 {
		lines = append(lines, "Try, in this order:")
	}
	for _, c := range v.Try {
		lines = append(lines, "  "+c.Line+"   # "+c.Why)
	}
	return lines
}

// Reasons says what chains that disagree look like and what holds in spite of it, what the data do
// not determine, and which posteriors pile up where their prior ends.
func (v *Verdict) Reasons() (lines []string) {
	if !v.Agreed {
		lines = append(lines, v.Looks)
	}
	if line := v.undetermined(); line != "" {
		lines = append(lines, line)
	}
	lines = append(lines, v.Bounds...)
	if v.Agreed || v.few() {
		return lines
	}
	for _, f := range v.Families {
		if !f.Code && f.Entries > 0 && f.Apart*10 <= f.Entries*9 {
			lines = append(lines, fmt.Sprintf("Yet all chains agree on %s of %s %s.", words.Count(f.Entries-f.Apart), words.Count(f.Entries), f.Name))
		}
	}
	return lines
}

// undetermined lists what depends on which features encode the signals and differs between chains. It
// returns "" if there is nothing.
func (v *Verdict) undetermined() string {
	names := lists.Map(v.Undetermined, func(f Finding) string { return fmt.Sprintf("%s (R-hat %s)", f.Name, RHat(f.RHat)) })
	for _, f := range v.Families {
		if f.Code && f.apart() {
			names = append(names, fmt.Sprintf("the features that items share (%s of %s %s)", words.Count(f.Apart), words.Count(f.Entries), f.Name))
		}
	}
	switch {
	case len(names) == 0 || v.few():
		return ""
	case !v.Agreed:
		return "The verdict leaves these out, since they depend on how features encode the signals: " + words.And(names) + "."
	}
	return "Not determined by the data: " + words.And(names) + ". These depend on how features encode the signals; the chains agree on all else."
}

// Line returns the verdict in one line, which is enough if the chains agree.
func (v *Verdict) Line() string {
	if v.Agreed {
		return v.agreed()
	}
	line := v.subject() + "do not agree: "
	if v.OnLarge {
		line = v.subject() + "agree on what is large: " + v.Large.words() + ". They do not agree on the rest: "
	}
	var parts []string
	if high := v.above(); len(high) > 0 {
		parts = append(parts, fmt.Sprintf("R-hat is %s, expected at most %v", list(high, 3), MaxRHat))
	}
	few := slices.DeleteFunc(slices.Clone(v.Disagree), func(f Finding) bool { return f.ess() == 0 || f.ess() >= MinESS })
	if len(few) > 0 {
		least := slices.MinFunc(few, func(a, b Finding) int { return int(math.Copysign(1, a.ess()-b.ess())) })
		parts = append(parts, fmt.Sprintf("the smallest ESS is %s (%s), expected at least %d", ESS(least.ess()), least.Name, MinESS))
	}
	if short := v.names(func(f Finding) bool { return f.short }); short != "" {
		parts = append(parts, "too few draws for the diagnostics of "+short)
	}
	if still := v.still(); still != "" {
		parts = append(parts, "all draws of "+still+" are equal")
	}
	for _, f := range v.Families {
		if f.disagrees() {
			parts = append(parts, fmt.Sprintf("chains disagree on %s of %s %s, most on %s", words.Count(f.Apart), words.Count(f.Entries), f.Name, f.Worst[0]))
		}
	}
	return line + strings.Join(parts, "; ") + "."
}

// words says what is large.
func (l *Large) words() string {
	if l.Nothing {
		return "nothing is, as the fitted values are below a tenth of the noise"
	}
	axes := "the largest axis of the fitted values, with %s of their sum of squares, differs"
	if l.Axes > 1 {
		axes = fmt.Sprintf("the %d largest axes of the fitted values, with %%s of their sum of squares, differ", l.Axes)
	}
	return fmt.Sprintf(axes+" from their mean by at most %s in each half of a chain", words.Percent(l.Share), words.Percent(l.Differ))
}

// Short returns a line of a few words for pictures, or "" if the chains agree.
func (v *Verdict) Short() string {
	switch {
	case v.Agreed:
		return ""
	case v.OnLarge:
		return "The chains agree on what is large only"
	case v.MaxRHat > MaxRHat:
		return "The chains disagree: R-hat up to " + RHat(v.MaxRHat)
	case v.few():
		return "Too few draws to judge whether the chains agree"
	case v.still() != "":
		return "The chains do not move"
	case len(v.Disagree) > 0:
		return "Too few effective draws: ESS down to " + ESS(v.MinESS)
	}
	f := v.Families[slices.IndexFunc(v.Families, FamilyFinding.disagrees)]
	return fmt.Sprintf("The chains disagree on %s of %s %s", words.Count(f.Apart), words.Count(f.Entries), f.Name)
}

// subject names what is compared.
func (v *Verdict) subject() string {
	if v.chains == 1 {
		return "The halves of the chain "
	}
	return "The chains "
}

func (v *Verdict) agreed() string {
	line := "The chains agree"
	if v.chains == 1 {
		line = "The halves of the only chain agree; several chains are a stronger test"
	}
	if v.MaxRHat > 0 {
		line += ": R-hat is at most " + RHat(v.MaxRHat)
	}
	if v.MinESS > 0 {
		line += " and ESS at least " + ESS(v.MinESS)
	}
	for _, f := range v.Families {
		if f.Code {
			continue
		}
		line += fmt.Sprintf("; %s of %s %s agree", words.Count(f.Entries-f.Apart), words.Count(f.Entries), f.Name)
		if f.Apart > 0 {
			line += ", least " + f.Worst[0]
		}
	}
	return line + "."
}

// above lists the quantities with high R-hat and their R-hat.
func (v *Verdict) above() []string {
	var high []string
	for _, f := range v.Disagree {
		if f.RHat > MaxRHat {
			high = append(high, RHat(f.RHat)+" for "+f.Name)
		}
	}
	return high
}

// RHat formats an R-hat with three decimals, rounded up so that one above MaxRHat looks so. NaN is
// a dash.
func RHat(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x >= 1000:
		return "infinite"
	}
	return words.Fixed(math.Ceil(1000*x-1e-9)/1000, 3)
}

// ESS formats an effective sample size as a count, rounded down so that one below MinESS looks so.
// NaN is a dash.
func ESS(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return words.Count(int(x))
}

// names lists the disagreeing quantities that match.
func (v *Verdict) names(match func(Finding) bool) string {
	var names []string
	for _, f := range v.Disagree {
		if match(f) {
			names = append(names, f.Name)
		}
	}
	return some(names, v.judged)
}

// some lists up to three names, or counts them.
func some(names []string, total int) string {
	if len(names) <= 3 {
		return list(names, 3)
	}
	return fmt.Sprintf("%d of %d quantities", len(names), total)
}

// list lists up to so many names and counts the others.
func list(names []string, limit int) string {
	if len(names) > limit {
		remainder := "1 other"
		if len(names) > limit+1 {
			remainder = fmt.Sprintf("%d others", len(names)-limit)
		}
		names = append(slices.Clone(names[:limit]), remainder)
	}
	return words.And(names)
}

// medians lists the medians of the chains, with the digits in which they differ.
func medians(q Quantity) string {
	medians := lists.Map(q.Chains, func(chain []float64) float64 { return posterior.Quantile(chain, 0.5) })
	digits := max(0, words.Decimals(slices.Max(medians), slices.Max(medians)-slices.Min(medians)))
	if !slices.ContainsFunc(medians, func(x float64) bool { return x != math.Round(x) }) {
		digits = 0
	}
	return list(lists.Map(medians, func(x float64) string { return words.Fixed(x, digits) }), 8)
}

// looksPlaces says that chains are in different places, and in what.
func looksPlaces(where string) string {
	return fmt.Sprintf("The chains are in different places (%s). These draws do not show whether more time brings them together.", where)
}

// looksDrift says how the mean of a quantity changes from the first halves of the chains to the second.
func looksDrift(name string, first, second float64) string {
	digits := max(0, words.Decimals(max(math.Abs(first), math.Abs(second)), math.Abs(first-second)))
	return fmt.Sprintf("The chains still drift: the mean of %s is %s in their first halves and %s in their second. The warmup was too short.",
		name, words.Fixed(first, digits), words.Fixed(second, digits))
}

// looksSlow estimates how many draws agreement takes, and how much time.
func (v *Verdict) looksSlow(r Run) string {
	if len(v.Disagree) == 0 {
		return "All scalars agree, and most differences are small: more draws may help."
	}
	line, need := "The chains move slowly, but through the same range: ", "they need"
	if v.chains == 1 {
		line, need = "The chain moves slowly: ", "it needs"
	}
	factor, about := math.Ceil(v.Factor()), "about"
	if factor == maxFactor {
		about = "at least"
	}
	line += fmt.Sprintf("%s %s %.0f times as many draws", need, about, factor)
	if minutes := factor * r.Seconds / 60; minutes >= 1 {
		line += fmt.Sprintf(", which takes %s %s on one core", about, words.Plural(int(math.Round(minutes)), "minute"))
	}
	if factor == maxFactor {
		line += "; these draws do not show how many more"
	}
	return line + "."
}

// advise sets the commands to try.
func (v *Verdict) advise(r Run) {
	if r.Dir == "" {
		return
	}
	warmup, draws := max(r.Warmup+r.Skip, 500), max(r.Draws, 250)
	if r.Skip > 0 { // a round: chains have run for longer than what it leaves out
		warmup = max(warmup, (warmup+r.Draws*r.Thin)/4)
	}
	chains := max(8, r.Chains)
	takes := func(reason string, scans int) string { // of all chains
		if made := r.Chains * r.Draws * r.Thin; made > 0 && r.Seconds > 0 {
			reason += "; about " + words.Duration(r.Seconds/float64(made)*float64(scans)) + " of one core"
		}
		return reason
	}
	again := func(reason string, warmup, draws, chains int) Command {
		line := fmt.Sprintf("aibd fit %s --warmup %d", Quoted(r.Dir+"/run.json"), warmup)
		if r.Skip > 0 {
			line += " --set sampler.skip=0"
		}
		return Command{line + fmt.Sprintf(" --draws %d --chains %d --out %s", draws, chains, Quoted(r.Next)), takes(reason, chains*(warmup+draws*max(1, r.Thin))), false}
	}
	extend := func(reason string, factor float64) Command { // makes factor times as many draws
		switch {
		case r.Begun:
			return Command{"aibd resume " + Quoted(r.Dir), "samples the draws that are missing", false}
		case r.Rounds:
			minutes := max(5, math.Ceil(1.2*factor*r.Seconds/60))
			return Command{fmt.Sprintf("aibd resume %s --budget %.0fm", Quoted(r.Dir), minutes), "further rounds, each from at least 1.5 times as many scans; " + reason, false}
		}
		scans := rounded((factor - 1) * float64(draws))
		return Command{fmt.Sprintf("aibd resume %s --more %d", Quoted(r.Dir), scans), takes(reason, r.Chains*scans*r.Thin), false}
	}
	reason := fmt.Sprintf("R-hat and the smallest ESS call for about %.0f times as many draws", math.Ceil(v.Factor()))
	if len(v.Disagree) == 0 {
		reason = fmt.Sprintf("all scalars agree, but chains disagree on more than %.0f%% of the pairs or values", 100*MaxApart)
	}
	needed := extend(reason, v.Factor())
	weighted := Command{fmt.Sprintf("aibd fit %s --features weighted --set sampler.skip=0 --thin 1 --draws %d --budget %.0fm --out %s",
		Quoted(r.Dir+"/run.json"), min(draws, 1000), max(5, math.Ceil(r.Seconds/60)), Quoted(r.Next)),
		"items have features by degrees, each with a weight; such chains often agree where these do not", true}
	weighs := r.Rounds && !r.Begun && r.Weigh
	switch v.Pattern {
	case Places:
		if weighs {
			v.Try = append(v.Try, weighted)
		}
		v.Try = append(v.Try,
			again("longer warmup, and more chains to see which place is common", rounded(4*float64(warmup)), draws, chains),
			extend("shows whether the chains come together", 5))
	case Slow:
		v.Try = []Command{needed}
		switch {
		case v.Factor() < maxFactor:
		case weighs:
			v.Try = append(v.Try, weighted)
		case !r.Rounds: // rounds continue for as long as it takes
			v.Try = append(v.Try, again("if that is not enough", rounded(4*float64(warmup)), rounded(20*float64(draws)), chains))
		}
	case Short:
		switch longer := again("a warmup four times as long as this run", rounded(4*float64(warmup+draws*r.Thin)), draws, max(4, r.Chains)); {
		case v.few():
			v.Try = []Command{extend("the usual number of draws", 1+max(1000-float64(r.Draws), 250)/float64(draws))}
		case v.still() != "":
			v.Try = []Command{longer}
		case r.Rounds:
			v.Try = []Command{extend("they leave out more of the beginning", 5)}
		default:
			v.Try = []Command{longer, extend("keeps the draws of the drift", 5)}
		}
	}
	if r.Sample > 0 && r.Rounds && !r.Begun {
		v.Try = slices.Insert(v.Try, 0, Command{fmt.Sprintf("aibd fit %s --set data.sample=%d --set sampler.skip=0 --thin 1 --warmup 1000 --draws 1000 --budget 5m --out %s",
			Quoted(r.Dir+"/run.json"), r.Sample, Quoted(r.Next)), "a random sample of the items agrees sooner; aibd predict describes all by its features", true})
	}
}

// rounded rounds up to one digit.
func rounded(x float64) int {
	digit := math.Pow10(int(math.Log10(x)))
	return int(math.Ceil(x/digit-1e-9) * digit)
}

// Quoted returns the name of a file or directory for a shell, which no command takes for a flag.
func Quoted(word string) string {
	if strings.HasPrefix(word, "-") {
		word = "./" + word
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("%+,-./:=@_", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
