import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function StatusLayout({ children }: { children: ReactNode }) {
  return <Texts of={["login.passwordInput", "security.passkey", "security.stepUp", "statusPage"]}>{children}</Texts>;
}
