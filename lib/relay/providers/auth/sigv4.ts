import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import type { SignatureV4 } from "@smithy/signature-v4";
import type { AuthScheme, Credentials, SignedRequest } from "../channel-type";
import { readAwsKey } from "./aws-key";
import { memoOfKeys } from "./key-memo";
import { bearer } from "./plain";

type Given = string | ArrayBuffer | ArrayBufferView;

/** SHA-256 of node:crypto as the signer wants it. A body may have megabytes, which a hash in JavaScript takes long for. */
export class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: Given) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }

  update(given: Given): void {
    this.hash.update(bytesOf(given));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

function bytesOf(given: Given): Uint8Array {
  if (typeof given === "string") return Buffer.from(given);
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    : new Uint8Array(given);
}

/** The headers that the request has anyway. */
const OWN_HEADERS = new Set(["host", "content-type"]);

/** For keys of Bedrock: an access key, whose requests are signed, or an API key. */
export function sigV4Auth(now: () => Date = () => new Date()): AuthScheme {
  const read = memoOfKeys((key) => {
    const aws = readAwsKey(key);
    if (aws.kind === "bearer") return aws;
    const { region, ...credentials } = aws;
    let made: Promise<SignatureV4> | undefined;
    // Most gateways have no channel of Bedrock, so the library is loaded with the first request that is signed.
    const signer = () => {
      made ??= import("@smithy/signature-v4").then(
        ({ SignatureV4: Signer }) => new Signer({ service: "bedrock", region, credentials, sha256: Sha256 }),
        (error: unknown) => {
          // While files are replaced for an upgrade, one may be missing.
          made = undefined;
          throw error;
        },
      );
      return made;
    };
    return { kind: "signed" as const, signer };
  });
  return (key, request) => {
    const aws = read(key);
    return aws.kind === "bearer" ? bearer(aws.apiKey) : sign(aws.signer, request, now());
  };
}

export const sigV4 = sigV4Auth();

async function sign(
  signer: () => Promise<SignatureV4>,
  { url, body }: SignedRequest,
  signingDate: Date,
): Promise<Credentials> {
  const { protocol, hostname, host, port, pathname, searchParams } = new URL(url);
  const request = {
    method: "POST",
    protocol,
    hostname,
    ...(port === "" ? {} : { port: Number(port) }),
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { host, "content-type": "application/json" },
    body,
  };
  const { headers } = await (await signer()).sign(request, { signingDate });
  return { headers: Object.entries(headers).flatMap(([name, value]) => (OWN_HEADERS.has(name) ? [] : [name, value])) };
}
