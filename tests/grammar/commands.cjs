// SPDX-License-Identifier: MIT
// node commands.cjs MODULES: lines of JSON strings in; for each out what tree-sitter-bash finds, [error, names]: the
// names of simple commands, null for one that is not literal.
const { readFileSync } = require('fs')
const { join } = require('path')

const modules = process.argv[2]
const { Parser, Language } = require(join(modules, 'web-tree-sitter/tree-sitter.cjs'))

// What a name comes to when nothing in it is expanded.
function literal(node) {
  if (/[$`*?~{<>]|\[.*\]/.test(node.text)) return null
  return node.text.replace(/\\\n/g, '').replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (all, a, b, c) => a ?? b ?? c)
}

function names(tree) {
  const found = []
  const walk = [tree.rootNode]
  while (walk.length) {
    const node = walk.pop()
    if (node.type === 'command') {
      let name = node.childForFieldName('name')
      // A reserved word of bash's, which this grammar takes for a program.
      while (name && ['time', '-p'].includes(name.text)) name = name.nextNamedSibling
      found.push(name ? literal(name) : null)
    } else if (['declaration_command', 'unset_command', 'test_command'].includes(node.type)) {
      found.push(node.child(0).text)
    }
    walk.push(...node.children)
  }
  return found
}

async function main() {
  await Parser.init()
  const parser = new Parser()
  parser.setLanguage(await Language.load(join(modules, 'tree-sitter-bash/tree-sitter-bash.wasm')))
  for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    const tree = parser.parse(JSON.parse(line))
    console.log(JSON.stringify([tree.rootNode.hasError, names(tree)]))
    tree.delete()
  }
}

main()
