// What a request can have, read from the types of the official clients, so that a field that they gain is attacked as well.
import { readFileSync } from "node:fs";
import ts from "typescript";
import type { Json, Wire } from "./scripted-upstream";

/** `isTool`: a kind of tool by itself. */
export type Item = { what: string; more: Json; isTool: boolean };

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;
type Names = ReadonlyMap<string, Declaration>;

const packages = new URL("../../node_modules/", import.meta.url);

/** Every declaration by its name, with the names of the namespaces around it. */
export function declarationsIn(files: readonly string[]): Names {
  const found = new Map<string, Declaration>();
  const visit = (node: ts.Node, around: string): void => {
    if (ts.isModuleDeclaration(node) && node.body) {
      const inside = `${around}${node.name.text}.`;
      ts.forEachChild(node.body, (child) => visit(child, inside));
    } else if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      const name = around + node.name.text;
      if (!found.has(name)) found.set(name, node);
    }
  };
  for (const file of files) {
    const text = readFileSync(new URL(file, packages), "utf8");
    ts.forEachChild(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), (node) => visit(node, ""));
  }
  return found;
}

export class Reader {
  private readonly names: Names;

  constructor(names: Names) {
    this.names = names;
  }

  named(name: string): Declaration {
    const found = this.find(name);
    if (!found) throw new Error(`the client has no type ${name}`);
    return found;
  }

  /** A name of an import stands before some. */
  private find(name: string): Declaration | undefined {
    for (let rest = name; rest !== ""; rest = rest.split(".").slice(1).join(".")) {
      const found = this.names.get(rest);
      if (found) return found;
    }
    return undefined;
  }

  /** The members of an interface, and of those that it extends. */
  membersOf(declaration: Declaration): ts.PropertySignature[] {
    if (!ts.isInterfaceDeclaration(declaration)) {
      return ts.isTypeLiteralNode(declaration.type) ? declaration.type.members.filter(ts.isPropertySignature) : [];
    }
    const bases = (declaration.heritageClauses ?? []).flatMap(({ types }) => types);
    const inherited = bases.flatMap(({ expression }) => {
      const base = this.find(expression.getText());
      return base ? this.membersOf(base) : [];
    });
    return [...inherited, ...declaration.members.filter(ts.isPropertySignature)];
  }

  /** The types that a union stands for, unions within it included. */
  alternativesOf(type: ts.TypeNode): ts.TypeNode[] {
    if (ts.isParenthesizedTypeNode(type)) return this.alternativesOf(type.type);
    if (ts.isUnionTypeNode(type)) return type.types.flatMap((one) => this.alternativesOf(one));
    const found = ts.isTypeReferenceNode(type) ? this.find(type.typeName.getText()) : undefined;
    if (found && ts.isTypeAliasDeclaration(found)) return this.alternativesOf(found.type);
    return [type];
  }

  /** The least that is of a type. */
  sample(type: ts.TypeNode, name: string, depth = 0): unknown {
    if (depth > 6) return {};
    const [first = type] = this.alternativesOf(type).filter((one) => one.getText() !== "null");
    if (ts.isLiteralTypeNode(first)) return this.literal(first);
    if (ts.isArrayTypeNode(first)) return [this.sample(first.elementType, name, depth + 1)];
    if (ts.isTypeLiteralNode(first)) return this.object(first.members.filter(ts.isPropertySignature), depth);
    switch (first.kind) {
      case ts.SyntaxKind.NumberKeyword:
        return 1;
      case ts.SyntaxKind.BooleanKeyword:
        return true;
      case ts.SyntaxKind.StringKeyword:
        return textOf(name);
    }
    if (!ts.isTypeReferenceNode(first)) return {};
    const reference = first.typeName.getText();
    const [argument] = first.typeArguments ?? [];
    if (reference === "Array" && argument) return [this.sample(argument, name, depth + 1)];
    const found = this.find(reference);
    return found ? this.object(this.membersOf(found), depth) : reference === "Record" ? {} : textOf(name);
  }

  private literal({ literal }: ts.LiteralTypeNode): unknown {
    if (ts.isStringLiteral(literal)) return literal.text;
    return literal.kind === ts.SyntaxKind.TrueKeyword;
  }

  object(members: readonly ts.PropertySignature[], depth: number): Json {
    const named = members.filter(({ questionToken }) => !questionToken);
    // Where nothing is required, as with Google, the least is all of it.
    const required = named.length > 0 || depth > 2 ? named : members;
    return Object.fromEntries(
      required.flatMap(({ name, type }) => (type ? [[keyOf(name), this.sample(type, keyOf(name), depth + 1)]] : [])),
    );
  }

  /** Each alternative of a type, as the least that is of it. */
  samples(type: ts.TypeNode, name: string): unknown[] {
    return this.alternativesOf(type)
      .filter((one) => one.getText() !== "null")
      .map((one) => this.sample(one, name));
  }

  /** The same, and each once more with every member that may be left out. */
  variants(type: ts.TypeNode, name: string, tried: ReadonlySet<string>): unknown[] {
    return this.alternativesOf(type).flatMap((one) => {
      const least = this.sample(one, name);
      const found = ts.isTypeReferenceNode(one) ? this.find(one.typeName.getText()) : undefined;
      const optional = found ? this.membersOf(found).filter(({ questionToken }) => questionToken) : [];
      const more = optional.flatMap((member) => {
        const key = keyOf(member.name);
        const value = member.type && this.sample(member.type, key);
        // Switches bring nothing in, and what is an option too is tried as such.
        return value === undefined || typeof value === "boolean" || tried.has(key)
          ? []
          : [{ ...(least as Json), [key]: value }];
      });
      return [least, ...more];
    });
  }

  keysOf(name: string): ReadonlySet<string> {
    return new Set(this.membersOf(this.named(name)).map((member) => keyOf(member.name)));
  }

  unionOf(name: string): ts.TypeNode {
    const declaration = this.named(name);
    if (!ts.isTypeAliasDeclaration(declaration)) throw new Error(`${name} is no union`);
    return declaration.type;
  }
}

export function keyOf(name: ts.PropertyName): string {
  return name.getText().replace(/^["']|["']$/g, "");
}

/** Ids are those of what the callers of the attack have stored. */
function textOf(name: string): string {
  if (/(^|_)id$|^conversation$/.test(name)) return "known_1";
  if (/ur[li]$/i.test(name)) return "https://weir.example/a.pdf";
  if (/data$/i.test(name)) return "AAAA";
  return "x";
}

/** What the attack itself sets, and what only says how an answer is delivered. */
const OWN = /^(model|messages|input|contents|stream|tools|max_tokens|max_output_tokens|betas|background|httpOptions)$/;

function optionsOf(reader: Reader, name: string, place: (field: string, value: unknown) => Json): Item[] {
  return reader.membersOf(reader.named(name)).flatMap((member) => {
    const field = keyOf(member.name);
    if (!member.type || OWN.test(field)) return [];
    return reader
      .samples(member.type, field)
      .map((value) => ({ what: `${field} ${short(value)}`, more: place(field, value), isTool: false }));
  });
}

export function fieldsOf(reader: Reader, name: string, place: (value: Json) => Json): Item[] {
  return reader.membersOf(reader.named(name)).flatMap((member) => {
    const field = keyOf(member.name);
    if (!member.type) return [];
    return reader
      .samples(member.type, field)
      .map((value) => ({ what: `${name}.${field}`, more: place({ [field]: value }), isTool: name === "Tool" }));
  });
}

export const short = (value: unknown): string => (JSON.stringify(value) ?? "").slice(0, 80);

/** Each member of a union, and each once more with every field that may be left out; the first is the kind by itself. */
function unionItems(reader: Reader, tried: ReadonlySet<string>, name: string, place: (value: unknown) => Json): Item[] {
  return reader.alternativesOf(reader.unionOf(name)).flatMap((one) =>
    reader.variants(one, "", tried).map((value, at) => ({
      what: `${name} ${short(value)}`,
      more: place(value),
      isTool: at === 0 && /Tool/.test(name),
    })),
  );
}

const inMessage = (text: string) => (part: unknown) => ({
  messages: [{ role: "user", content: [{ type: "text", text }, part] }],
});
const asItem = (part: unknown) => ({ input: [{ role: "user", content: [part] }] });
const asOption = (field: string, value: unknown): Json => ({ [field]: value });

/** Fields that Google's client keeps together, and that its API has beside the generation's. */
const BESIDE = /^(systemInstruction|safetySettings|toolConfig|labels|cachedContent|serviceTier|store)$/;

/** Every option, tool and part of a request in each format, each by itself. */
export function catalogueOf(wire: Wire): Item[] {
  if (wire === "gemini") {
    const reader = new Reader(declarationsIn(["@google/genai/dist/genai.d.ts"]));
    const place = (field: string, value: unknown): Json =>
      BESIDE.test(field) ? { [field]: value } : { generationConfig: { [field]: value } };
    return [
      ...optionsOf(reader, "GenerateContentConfig", place),
      ...fieldsOf(reader, "Tool", (tool) => ({ tools: [tool] })),
      ...fieldsOf(reader, "Part", (part) => ({ contents: [{ role: "user", parts: [{ text: "hi" }, part] }] })),
    ];
  }
  if (wire === "messages") {
    const reader = new Reader(declarationsIn(["@anthropic-ai/sdk/resources/beta/messages/messages.d.ts"]));
    const tried = reader.keysOf("MessageCreateParamsBase");
    return [
      ...optionsOf(reader, "MessageCreateParamsBase", asOption),
      ...unionItems(reader, tried, "BetaToolUnion", (tool) => ({ tools: [tool] })),
      ...unionItems(reader, tried, "BetaContentBlockParam", inMessage("hi")),
    ];
  }
  const folder = "openai/resources";
  if (wire === "chat") {
    const reader = new Reader(declarationsIn([`${folder}/chat/completions/completions.d.ts`, `${folder}/shared.d.ts`]));
    const tried = reader.keysOf("ChatCompletionCreateParamsBase");
    return [
      ...optionsOf(reader, "ChatCompletionCreateParamsBase", asOption),
      ...unionItems(reader, tried, "ChatCompletionTool", (tool) => ({ tools: [tool] })),
      ...unionItems(reader, tried, "ChatCompletionContentPart", inMessage("hi")),
    ];
  }
  const reader = new Reader(declarationsIn([`${folder}/responses/responses.d.ts`, `${folder}/shared.d.ts`]));
  const tried = reader.keysOf("ResponseCreateParamsBase");
  return [
    ...optionsOf(reader, "ResponseCreateParamsBase", asOption),
    ...unionItems(reader, tried, "Tool", (tool) => ({ tools: [tool] })),
    ...unionItems(reader, tried, "ResponseInputContent", asItem),
    ...unionItems(reader, tried, "ResponseInputItem", (item) => ({ input: [item] })),
  ];
}
