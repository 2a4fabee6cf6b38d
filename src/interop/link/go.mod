module linkemu

go 1.24.0
