import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function LoginLayout({ children }: { children: ReactNode }) {
  return <Texts of={["outside"]}>{children}</Texts>;
}
