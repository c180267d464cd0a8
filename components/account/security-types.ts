import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from "@simplewebauthn/browser";
import type { TotpSetup } from "@/lib/auth/totp-commands";
import type { ActionResult } from "@/lib/http/action";
import type { Seen } from "@/lib/seen";

type Nothing = Record<string, never>;

export type TotpActions = {
  startTotpSetup: (input: Nothing) => Promise<ActionResult<TotpSetup>>;
  enableTotp: (input: { code: string }) => Promise<ActionResult<string[]>>;
  disableTotp: (input: Nothing) => Promise<ActionResult<unknown>>;
  renewRecoveryCodes: (input: Nothing) => Promise<ActionResult<string[]>>;
};

export type PasskeyActions = {
  startPasskey: (input: Nothing) => Promise<ActionResult<PublicKeyCredentialCreationOptionsJSON>>;
  finishPasskey: (input: { name: string; response: RegistrationResponseJSON }) => Promise<ActionResult<unknown>>;
  renamePasskey: (input: { id: string; name: string; seen: Seen }) => Promise<ActionResult<unknown>>;
  deletePasskey: (input: { id: string }) => Promise<ActionResult<unknown>>;
};

export type SessionActions = {
  revokeSession: (input: { id: string }) => Promise<ActionResult<unknown>>;
  revokeOtherSessions: (input: Nothing) => Promise<ActionResult<{ count: number }>>;
};
