import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function UserDetailLayout({ children }: { children: ReactNode }) {
  return (
    <Texts
      of={[
        "audit.actions",
        "audit.change",
        "capture",
        "dashboard",
        "security.session",
        "statement",
        "token.statusName",
        "topup.kinds",
      ]}
    >
      {children}
    </Texts>
  );
}
