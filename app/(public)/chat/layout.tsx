import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function ChatLayout({ children }: { children: ReactNode }) {
  return <Texts of={["chat"]}>{children}</Texts>;
}
