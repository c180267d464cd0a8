import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function PlaygroundLayout({ children }: { children: ReactNode }) {
  return <Texts of={["drawing", "playground", "token.badge"]}>{children}</Texts>;
}
