import json,re
exec(open('scripts/move/fix1.py').read().split("sub('packages")[0])
def w(p,o): open(p,'w').write(json.dumps(o,indent=2)+'\n')
def pk(name,desc,exports={"./*":"./src/*.ts"}):
    return {'name':f'@mediamill/{name}','version':'0.1.0','private':True,'description':desc,'license':'Apache-2.0','type':'module','exports':exports}
w('packages/contract/package.json',pk('contract','The words of the API: objects, operations, endpoints, and routes as zod schemas. Pure, without Node APIs.'))
w('packages/media/package.json',pk('media','Media formats, pixel functions, and plans. Pure, without native code.'))
w('packages/engines/package.json',pk('engines','The image, video, and document engines: the only native code.'))
w('packages/server/package.json',pk('server','The service: HTTP API, queue, workers, supervisor, and commands. Published as `mediamill` from the root.'))
w('packages/conformance/package.json',pk('conformance','Tests of the public API against any deployment.'))
w('lab/package.json',pk('lab','Private: chaos, soak, hostile files, mutation tests, benchmarks, and test support.',{"./*":"./*.ts"}))
for n in ('sdk','cli'):
    p=f'packages/{n}/package.json'; o=json.load(open(p))
    if n=='sdk': o['exports']['./src/*']='./src/*.ts'
    else: o['exports']={"./src/*":"./src/*.ts","./package.json":"./package.json"}
    w(p,o)
p='package.json'; o=json.load(open(p)); new={}
for k,v in o.items():
    new[k]=v
    if k=='type': new['workspaces']=['packages/*','lab']
w(p,new)
sub('tsconfig.json',('./src/client/index.ts','./packages/sdk/src/index.ts'),('./src/client/webhooks.ts','./packages/sdk/src/webhooks.ts'),('"include": ["src", "test", "scripts", "bench"]','"include": ["packages/*/src", "packages/*/test", "lab", "scripts"],\n  "exclude": ["packages/sdk/test/clients"]'))
sub('tsconfig.build.json',('"rootDir": "src"','"rootDir": "packages"'),('"include": ["src"]','"include": ["packages/*/src"]'),('"exclude": ["src/**/*.test.ts", "src/**/*-fixture.ts"]','"exclude": ["packages/*/src/**/*.test.ts", "packages/*/src/**/*-fixture.ts"]'))
sub('package.json',("'src/**/*.test.ts' 'test/**/*.test.ts'","'packages/*/{src,test}/**/*.test.ts' 'lab/**/*.test.ts'"),("'src/{domain,operations,endpoints,media,runtime}/**/*.test.ts'","'packages/{contract,media}/src/**/*.test.ts'"),("deny-warnings src test scripts bench","deny-warnings packages lab scripts"))
sub('.oxlintrc.json',('"test/**"','"packages/*/test/**", "lab/**"'))
sub('packages/sdk/tsconfig.json',('../../src/client','src'))
sub('scripts/install-test-clients.sh',('../test/clients','../packages/sdk/test/clients'))
