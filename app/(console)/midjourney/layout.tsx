import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function DrawingLayout({ children }: { children: ReactNode }) {
  return <Texts of={["drawing", "paging", "task"]}>{children}</Texts>;
}
