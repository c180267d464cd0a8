import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function PricingLayout({ children }: { children: ReactNode }) {
  return (
    <Texts
      of={[
        "channel.types",
        "log.bill",
        "meter",
        "modelPage",
        "operation",
        "paging",
        "pricing",
        "security.stepUp",
        "snippet",
        "token.badge",
      ]}
    >
      {children}
    </Texts>
  );
}
