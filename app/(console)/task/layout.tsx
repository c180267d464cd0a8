import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function TaskLayout({ children }: { children: ReactNode }) {
  return <Texts of={["paging", "task"]}>{children}</Texts>;
}
