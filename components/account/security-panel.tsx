import type { OwnFactors } from "@/lib/auth/factor-queries";
import type { OwnSession } from "@/lib/auth/session-queries";
import { SecurityPasskeys } from "./security-passkeys";
import { SecuritySessions } from "./security-sessions";
import { SecurityTotp } from "./security-totp";
import type { PasskeyActions, SessionActions, TotpActions } from "./security-types";

type SecurityPanelProps = {
  factors: OwnFactors;
  sessions: OwnSession[];
  totpActions: TotpActions;
  passkeyActions: PasskeyActions;
  sessionActions: SessionActions;
};

export function SecurityPanel({ factors, sessions, totpActions, passkeyActions, sessionActions }: SecurityPanelProps) {
  return (
    <div id="security" className="flex flex-col gap-4">
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <SecurityTotp totp={factors.totp} actions={totpActions} />
        <SecurityPasskeys passkeys={factors.passkeys} actions={passkeyActions} />
      </div>
      <SecuritySessions sessions={sessions} actions={sessionActions} />
    </div>
  );
}
