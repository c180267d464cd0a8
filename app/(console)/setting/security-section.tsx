import { SecurityPanel } from "@/components/account/security-panel";
import { getOwnFactors } from "@/lib/auth/factor-queries";
import { listOwnSessions } from "@/lib/auth/session-queries";
import type { ServiceContext } from "@/lib/context";
import {
  deletePasskey,
  disableTotp,
  enableTotp,
  finishPasskey,
  renamePasskey,
  renewRecoveryCodes,
  revokeOtherSessions,
  revokeSession,
  startPasskey,
  startTotpSetup,
} from "./security-actions";

/** Second factors, passkeys and sessions of the signed-in user. */
export async function SecuritySection({ ctx }: { ctx: ServiceContext }) {
  const [factors, sessions] = await Promise.all([getOwnFactors(ctx), listOwnSessions(ctx)]);
  return (
    <SecurityPanel
      factors={factors}
      sessions={sessions}
      totpActions={{ startTotpSetup, enableTotp, disableTotp, renewRecoveryCodes }}
      passkeyActions={{ startPasskey, finishPasskey, renamePasskey, deletePasskey }}
      sessionActions={{ revokeSession, revokeOtherSessions }}
    />
  );
}
