import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function ResetLinkLayout({ children }: { children: ReactNode }) {
  return <Texts of={["reset"]}>{children}</Texts>;
}
