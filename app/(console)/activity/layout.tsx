import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function ActivityLayout({ children }: { children: ReactNode }) {
  return <Texts of={["activity", "audit", "paging", "security.session"]}>{children}</Texts>;
}
