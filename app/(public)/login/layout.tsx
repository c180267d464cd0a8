import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function LoginLayout({ children }: { children: ReactNode }) {
  return <Texts of={["login", "outside", "security.passkey", "turnstile"]}>{children}</Texts>;
}
