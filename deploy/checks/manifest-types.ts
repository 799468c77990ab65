import path from 'node:path';
import ts from 'typescript';
import { ClusterObject, identityOf } from './manifest';
import { type Mapping, repository } from './yaml-documents';

/**
 * What is wrong with Kubernetes objects by the types made from Kubernetes' own OpenAPI document.
 * Writing each as a typed literal lets the compiler find what a JSON schema of that document lets pass: misspelt fields.
 */
export function typeErrorsOf(objects: readonly Mapping[]): string[] {
  const file = path.join(repository, 'deploy/checks/every-object.ts');
  const lines = objects.map(typedLiteral);
  const program = ts.createProgram([file], options, hostWith(file, lines.join('\n')));
  return program.getSemanticDiagnostics(program.getSourceFile(file)).map((diagnostic) => {
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
    const object = objects[line];
    return `${object ? identityOf(object) : 'unknown object'}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
  });
}

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ES2022,
  types: [],
};

function typedLiteral(object: Mapping, index: number): string {
  const { apiVersion, kind } = ClusterObject.parse(object);
  const module = `kubernetes-models/${apiVersion}/${kind}`;
  return `export const object${index}: import(${JSON.stringify(module)}).I${kind} = ${JSON.stringify(object)};`;
}

function hostWith(file: string, text: string): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const onDisk = host.getSourceFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version) => (name === file ? ts.createSourceFile(name, text, version) : onDisk(name, version));
  return host;
}
