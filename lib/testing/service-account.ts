import { generateKeyPairSync } from "node:crypto";

let pair: { publicKey: string; privateKey: string } | undefined;

/** A key pair in PEM; the same one for every caller, because making it takes time. */
export function rsaPair(): { publicKey: string; privateKey: string } {
  pair ??= generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return pair;
}

/** The JSON key of a Google service account. */
export function serviceAccount(changes: Record<string, unknown> = {}): string {
  return JSON.stringify({
    type: "service_account",
    project_id: "project-1",
    private_key_id: "key-1",
    private_key: rsaPair().privateKey,
    client_email: "robot@project-1.iam.gserviceaccount.com",
    ...changes,
  });
}
