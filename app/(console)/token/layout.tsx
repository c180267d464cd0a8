import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function TokenLayout({ children }: { children: ReactNode }) {
  return <Texts of={["chat", "commerce", "limit", "operation", "paging", "snippet", "token"]}>{children}</Texts>;
}
