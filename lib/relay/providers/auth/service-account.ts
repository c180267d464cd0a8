import { createPrivateKey, type KeyObject } from "node:crypto";
import { z } from "zod";
import { isNamedByOperator } from "@/lib/egress";
import { ChannelSetupError } from "../setup-error";
import { memoOfKeys } from "./key-memo";

/** What is read of a Google service account's JSON key. */
export type ServiceAccount = {
  projectId: string;
  clientEmail: string;
  privateKey: KeyObject;
  /** "" = unknown. */
  privateKeyId: string;
  tokenUri: string;
};

const TOKEN_URI = "https://oauth2.googleapis.com/token";
/**
 * Google's token endpoints: the usual one and its mutual-TLS form, those of older documents, Private Service Connect's, and that of S3NS, the
 * sovereign cloud in France. Who controls another one would get the account's signed assertions, and have Weir ask any address.
 */
const TOKEN_URIS = [
  /^https:\/\/oauth2(\.mtls|-[a-z0-9-]{1,63}\.p)?\.googleapis\.com\/token$/,
  /^https:\/\/(accounts\.google\.com\/o\/oauth2\/token|www\.googleapis\.com\/oauth2\/v[34]\/token)$/,
  /^https:\/\/oauth2\.s3nsapis\.fr\/token$/,
];
/** The least that RS256 allows. */
const MODULUS_BITS_MIN = 2_048;

const documentSchema = z.object({
  project_id: z.string().regex(/^[a-z0-9.:-]{1,100}$/),
  client_email: z.string().min(1).max(320),
  private_key: z.string().min(1),
  private_key_id: z.string().max(200).default(""),
  token_uri: z.url({ protocol: /^https?$/ }).default(TOKEN_URI),
});

/** Throws ChannelSetupError when the key is not the document of a service account. */
function readServiceAccount(key: string): ServiceAccount {
  const json = parse(key);
  const { type } = json as { type?: unknown };
  if (type !== undefined && type !== "service_account") {
    throw invalid("the key is not a service account's: its type must be service_account");
  }
  const read = documentSchema.safeParse(json);
  if (!read.success) {
    const names = [...new Set(read.error.issues.map(({ path }) => path.join(".")))].join(", ");
    throw invalid(`the key is not a service account's JSON document: ${names || "no object"} is missing or invalid`);
  }
  if (!isTokenUri(read.data.token_uri)) {
    throw invalid(`the token_uri of the service account is not Google's, which is ${TOKEN_URI}`);
  }
  const { project_id: projectId, client_email: clientEmail, private_key: pem, ...rest } = read.data;
  const privateKey = readPrivateKey(pem);
  return { projectId, clientEmail, privateKey, privateKeyId: rest.private_key_id, tokenUri: rest.token_uri };
}

/** The same, remembered for each key: reading a private key takes long. */
export const serviceAccountOf = memoOfKeys(readServiceAccount);

/** The machine's operator may name addresses of its own, such as a stand-in for tests (WEIR_EGRESS_ALLOW). */
function isTokenUri(uri: string): boolean {
  return TOKEN_URIS.some((known) => known.test(uri)) || isNamedByOperator(uri);
}

function parse(key: string): object {
  try {
    const value: unknown = JSON.parse(key);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // The parser's message would quote the key.
  }
  throw invalid("the key is not a service account's JSON document: it is no valid JSON object");
}

function readPrivateKey(pem: string): KeyObject {
  let key: KeyObject | null = null;
  try {
    // Copying a document through shells and forms often leaves its line ends escaped twice.
    key = createPrivateKey(pem.replaceAll("\\n", "\n"));
  } catch {
    // The cause would quote the key.
  }
  if (key?.asymmetricKeyType !== "rsa" || (key.asymmetricKeyDetails?.modulusLength ?? 0) < MODULUS_BITS_MIN) {
    throw invalid("the private_key of the service account is not a readable RSA key of at least 2048 bits");
  }
  return key;
}

function invalid(message: string): ChannelSetupError {
  return new ChannelSetupError(message, "get_channel_failed");
}
