package diag

// The codes of diagnostics. A code keeps its meaning for good; what it means in one line is in [Meaning].
const (
	// What makes a file unreadable.
	NotUTF8        = "CS1001"
	TooLarge       = "CS1002"
	BadYAML        = "CS1003"
	TooDeep        = "CS1004"
	ManyDocuments  = "CS1005"
	EmptyDocument  = "CS1006"
	DuplicateKey   = "CS1007"
	MergeKey       = "CS1008"
	ExplicitTag    = "CS1009"
	BadAlias       = "CS1010"
	AmbiguousValue = "CS1011"
	KeyNotText     = "CS1012"
	NumberLimits   = "CS1013"

	// The form of the document.
	UnknownKey    = "CS1101"
	MissingKey    = "CS1102"
	WrongKind     = "CS1103"
	NotOneOf      = "CS1104"
	BadValue      = "CS1105"
	ExclusiveKeys = "CS1106"
	BadDuration   = "CS1107"

	// Expressions and templates.
	NotAPath       = "CS1201"
	UnknownRoot    = "CS1202"
	UndefinedField = "CS1203"
	NoFields       = "CS1204"
	Unclosed       = "CS1205"
	FoldedText     = "CS1206"
	NotACondition  = "CS1207"
	Incomparable   = "CS1208"

	// JSON Schemas.
	UnsupportedKeyword = "CS1301"
	UnknownKeyword     = "CS1302"
	BadEnum            = "CS1304"
	ContradictoryBound = "CS1305"
	BadDefault         = "CS1306"
	RequiredUnknown    = "CS1307"
	BadReference       = "CS1308"
	BadPattern         = "CS1311"
	NoEffect           = "CS1312"
	AmbiguousName      = "CS1314"
	RootShape          = "CS1315"
	ClosedPart         = "CS1316"
	EndlessSchema      = "CS1317"
	NeedsItself        = "CS1318"
	UnknownFormat      = "CS1319"
	BadGoType          = "CS1320"
	UnassertedFormat   = "CS1321"
	BadSensitive       = "CS1322"

	// Names.
	BadName     = "CS1401"
	NoGoName    = "CS1402"
	NameTaken   = "CS1403"
	BadToolName = "CS1404"
	BadFileName = "CS1405"
	ToolsAlike  = "CS1406"
	BadOverride = "CS1407"
	AliasTaken  = "CS1408"

	// Looking at what is changed.
	UnknownConnection = "CS1501"
	UnknownResource   = "CS1502"
	UnusedResource    = "CS1503"
	StateMismatch     = "CS1504"
	AbsenceConflict   = "CS1505"
	BadBinding        = "CS1506"
	NoColumn          = "CS1507"

	// SQL.
	NotOneStatement    = "CS1601"
	NotAQuery          = "CS1602"
	QueryWrites        = "CS1603"
	ParameterInText    = "CS1604"
	LiteralParameter   = "CS1605"
	UnterminatedSQL    = "CS1606"
	MisplacedCharacter = "CS1607"

	// Operations.
	BadRow         = "CS1701"
	BadInverse     = "CS1702"
	UnboundShown   = "CS1703"
	UnshownPayload = "CS1704"
	ReservedName   = "CS1705"
	IdleKey        = "CS1706"
	BadCondition   = "CS1707"
	BadCount       = "CS1708"
	BadEach        = "CS1709"
	BadAuto        = "CS1710"
	SensitiveShown = "CS1711"
	HalfSensitive  = "CS1712"
	JoinedLook     = "CS1713"
)

// Meaning says in a line what each code stands for.
var Meaning = map[string]string{
	NotUTF8:        "the file is not UTF-8 text, or holds a character that hides a line break",
	TooLarge:       "the file is larger than 4 MiB",
	BadYAML:        "the file is not YAML",
	TooDeep:        "maps and lists are nested more than 64 deep",
	ManyDocuments:  "the file holds more than one YAML document",
	EmptyDocument:  "the file holds no YAML document",
	DuplicateKey:   "a map has the same key twice",
	MergeKey:       "a map uses the merge key <<",
	ExplicitTag:    "a value carries a YAML tag such as !!str",
	BadAlias:       "an alias holds itself, stands for a key, or expands to too much",
	AmbiguousValue: "a plain value such as no, 0555, 22:22 or a date, which YAML readers take for different things",
	KeyNotText:     "a key is not text",
	NumberLimits:   "a number has more than 400 digits, is beyond 1.8·10^308, or finer than 10^-400",

	UnknownKey:    "a key that the language does not have",
	MissingKey:    "a key that must be there is not",
	WrongKind:     "a value is of the wrong kind: a list where text is expected, say",
	NotOneOf:      "a value is none of the words that may stand there",
	BadValue:      "a value is not in the form or the range that may stand there",
	ExclusiveKeys: "two keys that exclude each other",
	BadDuration:   "a duration that cannot be read or is out of its bounds",

	NotAPath:       "an expression that is not a dotted path",
	UnknownRoot:    "a path that starts with something that is not in scope",
	UndefinedField: "a path that names a field the schema does not have",
	NoFields:       "a path that goes into a value without fields",
	Unclosed:       "a ${ without its }",
	FoldedText:     "an expression or a template in a YAML style that loses where its characters are",
	NotACondition:  "a condition that is not a path, two equal signs, and a path or a literal",
	Incomparable:   "a comparison of values that are never equal, or that cannot be compared",

	UnsupportedKeyword: "a keyword of JSON Schema that is not supported",
	UnknownKeyword:     "a keyword that JSON Schema does not have",
	BadEnum:            "an enum that is empty, repeats a value, or disagrees with its type about null",
	ContradictoryBound: "bounds that nothing satisfies",
	BadDefault:         "a default that breaks its own schema",
	RequiredUnknown:    "a required name that is no property",
	BadReference:       "a $ref that does not lead to a schema of the document",
	BadPattern:         "a pattern that RE2 cannot take",
	NoEffect:           "a keyword that has no effect on values of its type",
	AmbiguousName:      "a reference that could mean two definitions",
	RootShape:          "a payload, state or result of the wrong shape",
	ClosedPart:         "a part of an object that is closed where it stands: by a $ref, or with properties that are refused there",
	EndlessSchema:      "a schema that leads back to itself without going into the value",
	NeedsItself:        "an object that needs another of itself, and so on without end",
	UnassertedFormat:   "a format that assert_formats cannot assert",
	UnknownFormat:      "a format that JSON Schema and OpenAPI do not have",
	BadGoType:          "an x-go-type that its schema cannot have",
	BadSensitive:       "an x-sensitive that stands where nothing can be hidden",

	BadName:     "a name that is not allowed",
	NoGoName:    "a name that cannot become an exported Go name",
	NameTaken:   "two things that would have the same Go name",
	BadToolName: "a tool name that clients refuse",
	BadFileName: "a spec file after which no Go files can be named",
	ToolsAlike:  "two tools that clients which cut long names take for one",
	BadOverride: "an x-go-name or x-go-names that is no exported Go name, or that names nothing",
	AliasTaken:  "an alias that an operation or another alias has",

	UnknownConnection: "a connection that is not declared",
	UnknownResource:   "a resource that is not declared",
	UnusedResource:    "a resource that no operation uses, so that it cannot be checked",
	StateMismatch:     "a state without a look, or a look without a state",
	AbsenceConflict:   "absent and exists that leave nothing to act on",
	BadBinding:        "a bind or volatile path that is not a field of the state, or is in both",
	NoColumn:          "a member of the state that no column of its query can fill",

	NotOneStatement:    "SQL text that is not exactly one statement",
	NotAQuery:          "an observe statement that is not SELECT, WITH or VALUES",
	QueryWrites:        "an observe statement that writes or locks",
	ParameterInText:    "a ${…} inside quotes or a comment, where it would be no parameter",
	LiteralParameter:   "a parameter that is not written as ${…}",
	UnterminatedSQL:    "a quote or a comment that does not end",
	MisplacedCharacter: "a $${ outside quotes",

	BadRow:         "a diff row that does not say what changes",
	BadInverse:     "a key about the undo of an operation that cannot be undone",
	UnboundShown:   "a value of the state that is shown as what changes, and that no approval is bound to",
	UnshownPayload: "a field of the payload that the preview never shows, or never whether it is there",
	ReservedName:   "a property of the payload whose name is an argument of every preview",
	IdleKey:        "a key that has no effect beside the others of its operation",
	BadCondition:   "a done_when that says nothing of the state or whose look needs the result, or a when that counts on a value no approval is bound to",
	BadCount:       "limits.items that is no list or integer of the payload which is always there",
	BadEach:        "an each that is no list, or that stands in another",
	BadAuto:        "a diff: auto for which there is nothing that it could pair",
	SensitiveShown: "a sensitive value in a text, or within a value that is shown",
	HalfSensitive:  "a value that is sensitive on one side of a row or of a condition, and not on the other",
	JoinedLook:     "a query that looks for a joined operation, beside the transaction of its bodies",
}
