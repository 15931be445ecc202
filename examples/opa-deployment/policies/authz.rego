package authz

default allow := false

allow if {
	some role in data.roles[input.user]
	some grant in data.grants[role]
	grant.action == input.action
	grant.resource == input.resource
}
