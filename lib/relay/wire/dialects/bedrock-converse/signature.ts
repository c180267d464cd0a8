import { readSigned, signedBy } from "../common/signature";

const NAME = "bedrock";

/** In canonical form, what a model behind Converse signed or encrypted says whose it is. */
export function toCanonicalSignature(raw: string): string {
  return signedBy(NAME, raw);
}

/** As the model wrote it; null = another upstream did. */
export function ownSignature(signature: string): string | null {
  return readSigned(NAME, signature);
}
