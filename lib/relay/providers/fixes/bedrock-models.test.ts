import { expect, test } from "vitest";
import { bedrockModelId } from "./bedrock-models";

test.each([
  ["claude-3-5-sonnet-20241022", "us-east-1", "us.anthropic.claude-3-5-sonnet-20241022-v2:0"],
  ["claude-3-5-sonnet-20241022", "eu-central-1", "anthropic.claude-3-5-sonnet-20241022-v2:0"],
  ["claude-3-opus-20240229", "us-west-2", "us.anthropic.claude-3-opus-20240229-v1:0"],
  ["claude-3-haiku-20240307", "ap-northeast-1", "apac.anthropic.claude-3-haiku-20240307-v1:0"],
  ["claude-instant-1.2", "us-east-1", "anthropic.claude-instant-v1"],
  ["claude-2.1", "us-east-1", "anthropic.claude-v2:1"],
  ["claude-sonnet-4-5-20250929", "ap-northeast-1", "jp.anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ["claude-sonnet-4-5", "ap-southeast-2", "au.anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ["claude-sonnet-4-5-20250929", "ap-south-1", "global.anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ["claude-sonnet-4-0", "eu-west-1", "eu.anthropic.claude-sonnet-4-20250514-v1:0"],
  ["claude-3-7-sonnet-latest", "ap-south-1", "apac.anthropic.claude-3-7-sonnet-20250219-v1:0"],
  ["claude-opus-4-6", "sa-east-1", "global.anthropic.claude-opus-4-6-v1"],
  ["claude-haiku-6", "us-east-1", "us.anthropic.claude-haiku-6"],
  ["claude-haiku-6-20270101", "me-south-1", "global.anthropic.claude-haiku-6-20270101-v1:0"],
  ["nova-pro", "eu-west-3", "eu.amazon.nova-pro-v1:0"],
  ["nova-micro-v1:0", "us-gov-west-1", "us-gov.amazon.nova-micro-v1:0"],
  ["nova-premier-v1:0", "eu-west-3", "amazon.nova-premier-v1:0"],
  ["us.anthropic.claude-opus-4-8", "eu-west-1", "us.anthropic.claude-opus-4-8"],
  ["anthropic.claude-3-haiku-20240307-v1:0", "us-east-1", "anthropic.claude-3-haiku-20240307-v1:0"],
  ["meta.llama3-70b-instruct-v1:0", "us-east-1", "meta.llama3-70b-instruct-v1:0"],
  ["constructor", "us-east-1", "constructor"],
  [
    "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3",
    "us-east-1",
    "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3",
  ],
])("%s in %s is %s", (name, region, id) => {
  expect(bedrockModelId(name, region)).toBe(id);
});
