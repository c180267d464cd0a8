import type * as actions from "./security-actions";

export type TotpActions = Pick<typeof actions, "startTotpSetup" | "enableTotp" | "disableTotp" | "renewRecoveryCodes">;

export type PasskeyActions = Pick<typeof actions, "startPasskey" | "finishPasskey" | "renamePasskey" | "deletePasskey">;

export type SessionActions = Pick<typeof actions, "revokeSession" | "revokeOtherSessions">;
