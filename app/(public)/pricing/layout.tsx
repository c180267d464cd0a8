import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function PricingLayout({ children }: { children: ReactNode }) {
  return (
    <Texts
      of={[
        "channel.types",
        "log.bill",
        "login.passwordInput",
        "meter",
        "modelPage",
        "operation",
        "paging",
        "pricing",
        "security.passkey",
        "security.stepUp",
        "snippet",
        "token.badge",
      ]}
    >
      {children}
    </Texts>
  );
}
