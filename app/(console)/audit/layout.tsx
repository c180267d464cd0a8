import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function AuditLayout({ children }: { children: ReactNode }) {
  return <Texts of={["audit", "paging"]}>{children}</Texts>;
}
