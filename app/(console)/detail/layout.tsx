import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function DashboardLayout({ children }: { children: ReactNode }) {
  return <Texts of={["dashboard", "log.outcome", "paging"]}>{children}</Texts>;
}
