import { ChannelSetupError } from "../setup-error";

/** A key of Amazon Bedrock. */
export type AwsKey =
  | { kind: "signed"; region: string; accessKeyId: string; secretAccessKey: string; sessionToken?: string }
  | { kind: "bearer"; region: string; apiKey: string };

/** A region becomes a part of a host name. */
const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

/**
 * Reads `AccessKey|SecretKey|Region`, the same with a session token as the fourth part, or an API key as `key|Region`.
 * Throws ChannelSetupError.
 */
export function readAwsKey(key: string): AwsKey {
  const parts = key.split("|").map((part) => part.trim());
  const isComplete = parts.length >= 2 && parts.length <= 4 && !parts.includes("");
  if (!isComplete) throw invalid("the key must be AccessKey|SecretKey|Region, or an API key as key|Region");
  const region = (parts.length === 2 ? parts[1] : parts[2]) ?? "";
  if (!REGION.test(region)) throw invalid("the last part of the key must be an AWS region such as us-east-1");
  const [first = "", second = "", , sessionToken] = parts;
  if (parts.length === 2) return { kind: "bearer", region, apiKey: first };
  const access = { kind: "signed" as const, region, accessKeyId: first, secretAccessKey: second };
  return sessionToken === undefined ? access : { ...access, sessionToken };
}

function invalid(message: string): ChannelSetupError {
  return new ChannelSetupError(message, "get_channel_failed");
}
