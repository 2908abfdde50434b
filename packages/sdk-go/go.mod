module github.com/karat-gold/karat/packages/sdk-go

go 1.25.0
