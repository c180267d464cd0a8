import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function LogLayout({ children }: { children: ReactNode }) {
  return <Texts of={["log", "logEvent", "meter", "paging", "token.badge"]}>{children}</Texts>;
}
