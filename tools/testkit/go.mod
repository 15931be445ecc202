module example.com/testkit

go 1.26.0
