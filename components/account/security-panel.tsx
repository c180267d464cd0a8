import type { OwnFactors } from "@/lib/auth/factor-queries";
import type { OwnSession } from "@/lib/auth/session-queries";
import { SecurityPasskeys } from "./security-passkeys";
import { SecuritySessions } from "./security-sessions";
import { SecurityTotp } from "./security-totp";

type SecurityPanelProps = {
  factors: OwnFactors;
  sessions: OwnSession[];
};

export function SecurityPanel({ factors, sessions }: SecurityPanelProps) {
  return (
    <div id="security" className="flex flex-col gap-4">
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <SecurityTotp totp={factors.totp} />
        <SecurityPasskeys passkeys={factors.passkeys} />
      </div>
      <SecuritySessions sessions={sessions} />
    </div>
  );
}
