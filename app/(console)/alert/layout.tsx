import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function AlertLayout({ children }: { children: ReactNode }) {
  return <Texts of={["alert", "paging"]}>{children}</Texts>;
}
