import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";

/** How long a challenge is valid. */
export const CHALLENGE_SECONDS = 300;
export const PASSKEYS_MAX = 20;

const bytes = (lengthMax: number) =>
  z
    .string("passkeyRefused")
    .regex(/^[\w-]+$/, "passkeyRefused")
    .max(lengthMax, "passkeyRefused");
const credential = {
  id: bytes(2_048),
  rawId: bytes(2_048),
  type: z.literal("public-key", { error: "passkeyRefused" }),
};

/** A registration response; fields that are not listed are dropped. */
export const registrationResponseSchema = z.object(
  {
    ...credential,
    response: z.object(
      {
        clientDataJSON: bytes(8_192),
        attestationObject: bytes(65_536),
        transports: z
          .array(z.string().regex(/^[a-z-]{1,20}$/))
          .max(8)
          .optional()
          .catch(undefined),
      },
      "passkeyRefused",
    ),
  },
  "passkeyRefused",
);

export const authenticationResponseSchema = z.object(
  {
    ...credential,
    response: z.object(
      {
        clientDataJSON: bytes(8_192),
        authenticatorData: bytes(8_192),
        signature: bytes(8_192),
        userHandle: bytes(128).nullish().catch(undefined),
      },
      "passkeyRefused",
    ),
  },
  "passkeyRefused",
);
export type RegistrationAnswer = z.output<typeof registrationResponseSchema>;
export type AuthenticationAnswer = z.output<typeof authenticationResponseSchema>;

export const passkeyNameSchema = z
  .string("passkeyNameInvalid")
  .trim()
  .min(1, "passkeyNameInvalid")
  .max(64, "passkeyNameInvalid");

export function toRegistrationResponse(answer: RegistrationAnswer): RegistrationResponseJSON {
  const { clientDataJSON, attestationObject } = answer.response;
  return { ...answer, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} };
}

export function toAuthenticationResponse(answer: AuthenticationAnswer): AuthenticationResponseJSON {
  const { clientDataJSON, authenticatorData, signature } = answer.response;
  return { ...answer, response: { clientDataJSON, authenticatorData, signature }, clientExtensionResults: {} };
}

/** The challenge that the response claims to answer; "" when it cannot be read. */
export function challengeOf(answer: AuthenticationAnswer): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(answer.response.clientDataJSON, "base64url").toString("utf8"));
    const challenge = typeof data === "object" && data !== null && "challenge" in data ? data.challenge : "";
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}

/** The WebAuthn user handle of an account, which the passkey stores. */
export function userHandleOf(userId: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`weir:${userId}`);
}
