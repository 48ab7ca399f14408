package main

// tool is a generator that is measured.
type tool struct {
	name     string // as people and the file system know it
	command  string // its Go package
	template string // of its spec
	spec     string // what a file of its spec is called
	config   string // a file of its settings; "" for none
	// args generate from the spec into a folder that is there, and that nothing else is in.
	args func(spec, dir string) []string
}

// ours and theirs are what is compared. The server that oapi-codegen makes here is its strict one: like the code of
// changesetgen, it decodes requests into types and calls methods that take and return types.
var (
	ours = tool{
		name:     "changesetgen",
		command:  "github.com/changesetgen/changesetgen/cmd/changesetgen",
		template: "changeset.yaml.tmpl",
		spec:     "products.changeset.yaml",
		args:     func(spec, dir string) []string { return []string{spec, "-o", dir} },
	}
	theirs = tool{
		name:     "oapi-codegen",
		command:  "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
		template: "openapi.yaml.tmpl",
		spec:     "products.openapi.yaml",
		config:   "oapi-codegen.yaml",
		args: func(spec, dir string) []string {
			return []string{"-config", "oapi-codegen.yaml", "-o", dir + "/products.gen.go", spec}
		},
	}
)
