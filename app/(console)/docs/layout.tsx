import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function DocsLayout({ children }: { children: ReactNode }) {
  return <Texts of={["docs"]}>{children}</Texts>;
}
