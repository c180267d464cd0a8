import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function RegisterLayout({ children }: { children: ReactNode }) {
  return <Texts of={["outside", "register"]}>{children}</Texts>;
}
