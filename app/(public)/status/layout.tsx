import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function StatusLayout({ children }: { children: ReactNode }) {
  return <Texts of={["security.stepUp", "statusPage"]}>{children}</Texts>;
}
