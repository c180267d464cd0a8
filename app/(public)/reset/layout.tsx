import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function ResetLayout({ children }: { children: ReactNode }) {
  return <Texts of={["reset"]}>{children}</Texts>;
}
