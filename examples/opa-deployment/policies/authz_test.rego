package authz_test

import data.authz

test_editors_write if authz.allow with input as {"user": "alice", "action": "write", "resource": "report"}

test_readers_do_not_write if not authz.allow with input as {"user": "bob", "action": "write", "resource": "report"}

test_strangers_do_not_read if not authz.allow with input as {"user": "mallory", "action": "read", "resource": "report"}
