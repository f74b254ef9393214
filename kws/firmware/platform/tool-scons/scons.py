from SCons.Script.Main import main

main()
