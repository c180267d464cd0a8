import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

const FLAG = { present: 0x01, verified: 0x04, attested: 0x40 } as const;

type CreationOptions = { challenge: string; rp: { id?: string }; user: { id: string } };
type RequestOptions = { challenge: string; rpId?: string };
type Behaviour = {
  origin: string;
  /** Whether the user is verified, e.g. by fingerprint or PIN. */
  verifies?: boolean;
  /** The counter in the response; by default one more than the last. */
  counter?: number;
};

/** A software authenticator with one ES256 key, for tests without a browser. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16).toString("base64url");
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #counter = 0;
  #userHandle = "";

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  /** A browser's response to registration options. */
  register(options: CreationOptions, { origin, verifies = true }: Behaviour) {
    this.#userHandle = options.user.id;
    const rawId = Buffer.from(this.id, "base64url");
    const authData = Buffer.concat([
      this.#head(options.rp.id ?? "", FLAG.attested | (verifies ? FLAG.verified : 0), 0),
      Buffer.alloc(16),
      Buffer.from([rawId.length >> 8, rawId.length & 0xff]),
      rawId,
      this.#coseKey(),
    ]);
    const attestation = new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", new Uint8Array(authData)],
    ]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: clientData("webauthn.create", options.challenge, origin),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  /** A browser's response to authentication options. */
  prove(options: RequestOptions, { origin, verifies = true, counter = this.#counter + 1 }: Behaviour) {
    this.#counter = counter;
    const authData = this.#head(options.rpId ?? "", verifies ? FLAG.verified : 0, counter);
    const clientDataJSON = clientData("webauthn.get", options.challenge, origin);
    const digest = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
    return {
      ...this.#credential(),
      response: {
        clientDataJSON,
        authenticatorData: authData.toString("base64url"),
        signature: sign("sha256", Buffer.concat([authData, digest]), this.#privateKey).toString("base64url"),
        userHandle: this.#userHandle,
      },
    };
  }

  #credential() {
    return { id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {} };
  }

  #head(rpId: string, flags: number, counter: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([FLAG.present | flags]), count]);
  }

  #coseKey(): Buffer {
    const { x = "", y = "" } = this.#publicKey.export({ format: "jwk" });
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, "base64url"))],
      [-3, new Uint8Array(Buffer.from(y, "base64url"))],
    ]);
    return Buffer.from(isoCBOR.encode(key as never));
  }
}

function clientData(type: string, challenge: string, origin: string): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString("base64url");
}
