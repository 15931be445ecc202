package main

import (
	"context"
	"time"

	requestv1 "github.com/cerbos/cerbos/api/genpb/cerbos/request/v1"
	svcv1 "github.com/cerbos/cerbos/api/genpb/cerbos/svc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
)

// grpcAsker asks Cerbos by gRPC, as its SDKs do.
type grpcAsker struct {
	target     string
	keep       bool
	timeout    time.Duration
	connection *grpc.ClientConn
}

func (a *grpcAsker) ask(body string) (string, error) {
	request := &requestv1.CheckResourcesRequest{}
	if err := protojson.Unmarshal([]byte(body), request); err != nil {
		return "", err
	}
	if a.connection == nil {
		connection, err := grpc.NewClient(a.target, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return "", err
		}
		a.connection = connection
	}
	if !a.keep {
		defer func() {
			_ = a.connection.Close()
			a.connection = nil
		}()
	}
	ctx, cancel := context.WithTimeout(context.Background(), a.timeout)
	defer cancel()
	response, err := svcv1.NewCerbosServiceClient(a.connection).CheckResources(ctx, request)
	if err != nil {
		return "", err
	}
	text, err := protojson.Marshal(response)
	return string(text), err
}
