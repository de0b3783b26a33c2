#!/usr/bin/env python3
"""Moves the tree into packages. Run in a clean worktree root."""
import re,os,subprocess,sys,json,posixpath as P
root=os.getcwd()
tracked=subprocess.check_output(['git','ls-files'],text=True).split('\n'); tracked=[t for t in tracked if t]
S='packages/server/src/'
RULES=[
 ('src/domain/joined-chunks', S+'lib/joined-chunks'),
 ('src/domain/spans','packages/contract/src/lib/spans'),
 *[(f'src/domain/{n}.', f'packages/contract/src/lib/{n}.') for n in ['nearest','words','moment','schema-name']],
 ('src/domain/','packages/contract/src/domain/'),
 ('src/operations/','packages/contract/src/operations/'),
 ('src/endpoints/','packages/contract/src/endpoints/'),
 ('src/contract/routes/','packages/contract/src/routes/'),
 ('src/contract/routes.ts','packages/contract/src/routes.ts'),
 ('src/contract/route.ts','packages/contract/src/route.ts'),
 ('src/contract/console/','packages/contract/src/console/'),
 ('src/contract/','packages/contract/src/objects/'),
 ('src/media/drawing/steps/','packages/media/src/steps/'),
 ('src/media/drawing/','packages/contract/src/drawing/'),
 ('src/media/','packages/media/src/'),
 ('src/engines/','packages/engines/src/'),
 ('src/client/','packages/sdk/src/'),
 ('src/commands/client/conformance/','packages/conformance/src/'),
 ('src/commands/client/','packages/cli/src/'),
 ('src/commands/terminal/account-text.ts',S+'commands/account-text.ts'),
 ('src/commands/terminal/settings-help.ts',S+'commands/settings-help.ts'),
 ('src/commands/terminal/','packages/cli/src/terminal/'),
 ('src/runtime/config/',S+'config/'),
 ('src/runtime/telemetry/',S+'telemetry/'),
 ('src/runtime/time/',S+'lib/time/'),
 ('src/runtime/memory/',S+'lib/memory/'),
 ('src/requests/uploads/stamps/',S+'uploads/stamps/'),
 ('src/requests/uploads/',S+'uploads/'),
 ('src/',S),
 ('migrations/','packages/server/migrations/'),
 ('test/support/','lab/support/'),
 ('test/hostile/','lab/hostile/'),
 ('test/mutants/','lab/mutants/'),
 ('test/walls/','lab/walls/'),
 ('test/architecture.test.ts','lab/architecture.test.ts'),
 ('test/fuzz.test.ts','lab/fuzz.test.ts'),
 ('test/soak-trend.test.ts','lab/soak/trend.test.ts'),
 ('test/performance.test.ts','lab/bench/performance.test.ts'),
 ('test/conformance.test.ts','packages/conformance/test/interface.test.ts'),
 ('test/conformance/','packages/conformance/test/'),
 ('test/sdk/','packages/sdk/test/'),
 ('test/runtimes/','packages/sdk/test/runtimes/'),
 ('test/clients/','packages/sdk/test/clients/'),
 ('test/fixtures/','lab/fixtures/'),
 ('test/','packages/server/test/'),
 ('bench/','lab/bench/'),
 *[(f'scripts/{n}',f'lab/{n}') for n in ['chaos','corpus','faults','soak','migration-locks','load.ts','fuzz.ts','hostile-corpus.ts','kill-batch.ts','mutants.ts','mutate.ts','seeded-faults.ts','walls.ts','conformance.ts']],
]
def mapf(p):
    for a,b in RULES:
        if p.startswith(a): return b+p[len(a):]
    return p
fmap={t:mapf(t) for t in tracked}
moved={a:b for a,b in fmap.items() if a!=b}
vals=list(fmap.values()); 
dups={v for v in vals if vals.count(v)>1} if len(vals)!=len(set(vals)) else set()
assert not dups,dups
# directory map: an old dir whose files all keep their relative path under one new dir
dirs={}
for a,b in fmap.items():
    d=P.dirname(a); 
    while d:
        rel=a[len(d)+1:]
        nd=b[:-len(rel)-1] if b.endswith('/'+rel) else None
        dirs.setdefault(d,set()).add(nd); d=P.dirname(d)
dmap={d:next(iter(s)) for d,s in dirs.items() if len(s)==1 and None not in s}
PK={'packages/contract/':'@mediamill/contract','packages/media/':'@mediamill/media','packages/engines/':'@mediamill/engines','packages/server/':'@mediamill/server','packages/sdk/':'@mediamill/sdk','packages/cli/':'@mediamill/cli','packages/conformance/':'@mediamill/conformance','console/':'console','lab/':'@mediamill/lab'}
def pkg(p):
    for a,n in PK.items():
        if p.startswith(a): return a,n
    return '','root'
def newtarget(old):
    if old in fmap: return fmap[old]
    o=old.rstrip('/')
    if o in dmap: return dmap[o]+('/' if old.endswith('/') else '')
    if o in('','.'): return '.'
    return None
problems=[]
def rel(frm,to):
    r=P.relpath(to,P.dirname(frm)); 
    return r if r.startswith('.') else './'+r
def spec(oldfile,newfile,s,kind):
    tgt=P.normpath(P.join(P.dirname(oldfile),s))
    if tgt.startswith('..'): return s
    if tgt.startswith('node_modules'):
        r=rel(newfile,tgt); return r
    trail='/' if s.endswith('/') else ''
    new=newtarget(tgt)
    if new is None:
        # a path that does not exist as tracked: keep if its directory maps
        d,b=P.split(tgt)
        nd=newtarget(d) if d else '.'
        if nd is None or tgt.startswith(('src','test','scripts','bench')) and d=='' :
            problems.append((oldfile,kind,s,tgt)); return s
        new=P.join(nd,b) if nd!='.' else b
    if kind=='import':
        a,n=pkg(newfile); c,m=pkg(new)
        if c and c!=a and m!='console':
            inner=new[len(c):]
            bare=re.sub(r'\.ts$','',inner)
            if c=='lab/': return m+'/'+bare
            if c in('packages/sdk/','packages/cli/') and inner.startswith('src/'): return m+'/'+bare
            if inner.startswith('src/'): return m+'/'+bare[4:]
            problems.append((oldfile,'outside src',s,new))
    r=rel(newfile,new)+trail
    if kind=='join' and r.startswith('./'): r=r[2:]
    return r
IMP=re.compile(r"""((?:^|\n|;|\})[^\n'"`]*?\bfrom\s+|\bimport\s+|\bimport\(\s*|\brequire\(\s*|export \* from )(['"])(\.{1,2}/[^'"\n]*)\2""")
URLR=re.compile(r"""(new URL\(\s*)(['"`])((?:\.{1,2}/)?[^'"`\n$:]*)((?:\$\{[^'"`\n]*)?)\2(\s*,\s*import\.meta\.url)""")
JOIN=re.compile(r"""(join\(\s*import\.meta\.dirname,\s*)((?:['"`][^'"`\n$]*['"`](?:,\s*)?)+)""")
def fix_code(oldfile,newfile,t):
    t=IMP.sub(lambda m: m.group(1)+m.group(2)+spec(oldfile,newfile,m.group(3),'import')+m.group(2),t)
    def url(m):
        s,tail=m.group(3),m.group(4)
        if tail:
            i=s.rfind('/')+1; base,rest=s[:i],s[i:]
            if base in('','./'): return m.group(0)
            n=spec(oldfile,newfile,base,'url'); n=n if n.endswith('/') else n+'/'
            return m.group(1)+m.group(2)+n+rest+tail+m.group(2)+m.group(5)
        if s=='' : return m.group(0)
        return m.group(1)+m.group(2)+spec(oldfile,newfile,s,'url')+m.group(2)+m.group(5)
    t=URLR.sub(url,t)
    def join(m):
        parts=re.findall(r"""['"`]([^'"`\n$]*)['"`]""",m.group(2))
        trailing=m.group(2).rstrip().endswith(',') 
        s='/'.join(parts)
        return m.group(1)+"'"+spec(oldfile,newfile,s,'join')+"'"+(', ' if trailing else '')
    t=JOIN.sub(join,t)
    return t
TOK=re.compile(r"(?:(?<![\w@./-])|(?<=\}/))(?:\.\./|\./)?(?:src|test|scripts|bench|migrations)/[\w./@-]*[\w/]")
def fix_tokens(oldfile,newfile,t):
    def f(m):
        s=m.group(0)
        if s.startswith(('./','../')): return s
        n=newtarget(s)
        if n and n!='.' : return n
        if s.startswith('src/') and len(s)>4: return mapf(s)
        return s
    t=TOK.sub(f,t)
    def r(m):
        s=m.group(0).replace('\\/','/').replace('\\.','.')
        n=newtarget(s) or (mapf(s) if len(s)>5 else None)
        return (n or s).replace('.','\\.').replace('/','\\/') if n and n!=s else m.group(0)
    return RX.sub(r,t) if oldfile.endswith('.ts') else t
RX=re.compile(r"(?<![\w/@.-])(?:src|test|bench)(?:\\/(?:[\w-]|\\\.)+)+")
LINK=re.compile(r"(\]\()(\.{0,2}/?[\w./@-]+)(#[^)\s]*)?\)")
def fix_md(oldfile,newfile,t):
    def f(m):
        s=m.group(2)
        if s.startswith('/'): return m.group(0)
        tgt=P.normpath(P.join(P.dirname(oldfile),s))
        new=newtarget(tgt)
        if new is None or (new==tgt and oldfile==newfile): return m.group(0)
        return m.group(1)+P.relpath(new,P.dirname(newfile) or '.')+(m.group(3) or '')+')'
    return LINK.sub(f,t)
TEXT=('.ts','.tsx','.js','.mjs','.json','.md','.sh','.yml','.yaml','Dockerfile','.json5','.css','.html','.cjs')
changes={}
SKIP={'test/architecture.test.ts','test/support/architecture-rules.ts','test/support/file-rules.ts','test/support/stale-rows.ts','test/mutants/mutants.test.ts','CHANGELOG.md'}
for a,b in fmap.items():
    if a in SKIP or a.startswith('docs/decisions/'): continue
    if a in('package-lock.json',) or '/package-lock.json' in a or a.startswith('docs/reports'): continue
    if not (a.endswith(TEXT) or a in('.ci/run','.dockerignore','.gitignore','bin/mediamill')): continue
    p=os.path.join(root,a)
    if os.path.islink(p): continue
    try: t=open(p,encoding='utf8').read()
    except UnicodeDecodeError: continue
    o=t
    if a.endswith(('.ts','.tsx','.js','.mjs','.cjs')): t=fix_code(a,b,t)
    if a.endswith('.md'): t=fix_md(a,b,t)
    t=fix_tokens(a,b,t)
    if t!=o: changes[a]=t
if '--dry' in sys.argv:
    print(len(moved),'moved',len(changes),'changed'); 
    for x in problems: print(*x)
    sys.exit()
for a,t in changes.items(): open(os.path.join(root,a),'w',encoding='utf8').write(t)
for a,b in moved.items():
    os.makedirs(os.path.join(root,P.dirname(b)),exist_ok=True)
    os.rename(os.path.join(root,a),os.path.join(root,b))
for dp,dn,fn in sorted(os.walk('.'),reverse=True):
    if dp.startswith(('./node_modules','./.git')): continue
    try: os.rmdir(dp)
    except OSError: pass
print('moved',len(moved)); 
for x in problems: print(*x)
json.dump({'files':moved,'dirs':{k:v for k,v in dmap.items() if k!=v}},open('scripts/move/map.json','w'),indent=0)
